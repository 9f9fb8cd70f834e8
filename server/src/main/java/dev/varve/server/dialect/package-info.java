/** Dialects: their interface, the server's services for them, and questions about names. */
@NullMarked
package dev.varve.server.dialect;

import org.jspecify.annotations.NullMarked;
