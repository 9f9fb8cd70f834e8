package dev.varve.server.opentsdb.query;

import tools.jackson.core.JsonGenerator;

/** Writes the annotations of results. */
@FunctionalInterface
public interface GroupNotes {
  /** There are no annotations. */
  GroupNotes NONE = (group, json) -> {};

  /** Writes the members of a result that hold its annotations, if there are any. */
  void write(Group group, JsonGenerator json);
}
