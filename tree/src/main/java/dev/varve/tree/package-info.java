/**
 * The program as it runs in a source tree: the commands of module {@code cli}, and those that start
 * real stores as child processes. The distribution has neither these commands nor the stores.
 */
@NullMarked
package dev.varve.tree;

import org.jspecify.annotations.NullMarked;
