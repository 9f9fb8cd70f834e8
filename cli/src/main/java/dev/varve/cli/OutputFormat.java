package dev.varve.cli;

/** How data is printed: aligned for people, or a line of JSON or CSV a record for programs. */
public enum OutputFormat {
  table,
  json,
  csv
}
