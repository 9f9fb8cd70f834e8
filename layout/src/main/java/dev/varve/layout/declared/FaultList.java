package dev.varve.layout.declared;

import java.util.ArrayList;
import java.util.List;

/** The faults of a declaration that its rules have found so far. */
final class FaultList {
  private final List<Fault> all = new ArrayList<>();

  void add(String path, String message) {
    all.add(new Fault(path, message));
  }

  void add(Fault fault) {
    all.add(fault);
  }

  /** Adds a fault if a text cannot be encoded. */
  void addUnlessEncodable(String path, String text) {
    if (Utf8.unpaired(text) >= 0) {
      add(path, "'%s' contains an unpaired surrogate".formatted(text));
    }
  }

  /** Returns all faults, in the order in which they were added. */
  List<Fault> all() {
    return List.copyOf(all);
  }
}
