/**
 * The point form: one point per line as a JSON object, in which commands and Varve's own API accept
 * and return points.
 *
 * <p>An example is {@code {"metric":"m","tags":{},"resource":{},"time":0,"value":1.5}}. {@code
 * "fields":{"f":1}} replaces {@code value} for several fields, and {@code "attribute":"name"} marks
 * an attribute. The package knows neither sockets nor datasets.
 */
@NullMarked
package dev.varve.formats.points;

import org.jspecify.annotations.NullMarked;
