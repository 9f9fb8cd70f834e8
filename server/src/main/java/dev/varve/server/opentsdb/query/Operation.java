package dev.varve.server.opentsdb.query;

/** The operations of a sub query, in the order in which they run. */
enum Operation {
  DOWNSAMPLE,
  FILL,
  RATE,
  AGGREGATE
}
