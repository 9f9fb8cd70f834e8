/** Input and output of commands: options, records, progress and failures. */
@NullMarked
package dev.varve.cli.io;

import org.jspecify.annotations.NullMarked;
