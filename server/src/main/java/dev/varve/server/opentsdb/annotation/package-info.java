/** OpenTSDB's annotations: notes about an instant or a stretch of time, of one series or of all. */
@NullMarked
package dev.varve.server.opentsdb.annotation;

import org.jspecify.annotations.NullMarked;
