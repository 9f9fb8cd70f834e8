@NullMarked
package dev.varve.cli.migrate;

import org.jspecify.annotations.NullMarked;
