/** Tests of TLS, authentication and rights, over sockets. */
@NullMarked
package dev.varve.server.security;

import org.jspecify.annotations.NullMarked;
