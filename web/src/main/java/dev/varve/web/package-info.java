/**
 * The console: plain ES modules, and the class that prepares them to be served. Knows nothing of
 * HTTP servers; the console asks the server's own APIs from the browser.
 */
@NullMarked
package dev.varve.web;

import org.jspecify.annotations.NullMarked;
