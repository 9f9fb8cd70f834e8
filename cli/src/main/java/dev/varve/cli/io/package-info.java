/** What commands read and print: options, records, progress and failures. */
@NullMarked
package dev.varve.cli.io;

import org.jspecify.annotations.NullMarked;
