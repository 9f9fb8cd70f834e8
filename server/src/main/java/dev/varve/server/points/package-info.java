/**
 * The point form: one point a line as a JSON object, the form in which tools and Varve's own API
 * take and give points.
 *
 * <p>Here is the form and nothing else: no socket, no dataset. {@code
 * {"metric":"m","tags":{},"resource":{},"time":0,"value":1.5}}, with {@code "fields":{"f":1}} in
 * place of {@code value} for several fields, or {@code "attribute":"name"} for what is no sample.
 */
@NullMarked
package dev.varve.server.points;

import org.jspecify.annotations.NullMarked;
