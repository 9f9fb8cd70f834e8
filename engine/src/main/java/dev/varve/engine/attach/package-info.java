/**
 * Looks at the tables of another server before they are attached: whether they are what the layout
 * expects, and with which parameters. Reads a little, writes nothing.
 */
@NullMarked
package dev.varve.engine.attach;

import org.jspecify.annotations.NullMarked;
