package dev.varve.server.opentsdb.query;

/** What a sub query does, in this order. */
enum Operation {
  DOWNSAMPLE,
  FILL,
  RATE,
  AGGREGATE
}
