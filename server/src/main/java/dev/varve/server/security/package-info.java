/**
 * TLS, authentication and rights: the files that configure them, and the decisions that follow.
 *
 * <p>{@link dev.varve.server.security.AccessControl} reads the files again when they change, and
 * authenticates requests. It knows requests only as {@code dev.varve.server.http.Exchange}.
 */
@NullMarked
package dev.varve.server.security;

import org.jspecify.annotations.NullMarked;
