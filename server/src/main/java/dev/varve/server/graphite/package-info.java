/**
 * Graphite's pickle protocol, as carbon-relay and other senders speak it: frames, the few words of
 * Python's pickle that they need, and nothing that would make an object.
 *
 * <p>The plaintext protocol is lines and is read in {@code dev.varve.formats.text}.
 */
@NullMarked
package dev.varve.server.graphite;

import org.jspecify.annotations.NullMarked;
