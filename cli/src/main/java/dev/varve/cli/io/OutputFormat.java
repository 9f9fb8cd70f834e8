package dev.varve.cli.io;

/**
 * Form of printed data: an aligned table for people, or one line of JSON or CSV per record for
 * programs.
 */
public enum OutputFormat {
  table,
  json,
  csv
}
