/** OpenTSDB's histograms: their bytes, where they are kept, and queries of them. */
@NullMarked
package dev.varve.server.opentsdb.histogram;

import org.jspecify.annotations.NullMarked;
