package dev.varve.layout.opentsdb;

import dev.varve.layout.NameNumbers;
import dev.varve.layout.RefusedException;
import dev.varve.layout.Step;
import dev.varve.model.Bytes;
import java.util.List;
import java.util.Optional;

/** The UIDs of names, one name at a time. */
record Uids(UidTable table) implements NameNumbers {
  private static UidTable.Kind kind(Part part) {
    return switch (part) {
      case METRIC -> UidTable.Kind.METRIC;
      case TAG_NAME -> UidTable.Kind.TAGK;
      case TAG_VALUE -> UidTable.Kind.TAGV;
    };
  }

  @Override
  public int width(Part part) {
    return table.width(kind(part));
  }

  @Override
  public Step<Optional<Bytes>> number(Part part, String name, boolean create) {
    String flaw = UidTable.flaw(part.name(), name, !create);
    if (flaw != null && create) {
      throw new RefusedException("opentsdb.uid", flaw);
    }
    // A name that no table can hold has no UID.
    return flaw != null
        ? Step.done(Optional.empty())
        : table
            .uids(List.of(new UidTable.Name(kind(part), name)), create)
            .map(found -> found.map(List::getFirst));
  }

  @Override
  public Step<Optional<String>> name(Part part, Bytes number) {
    return number.length() == width(part)
        ? table.name(kind(part), number)
        : Step.done(Optional.empty());
  }
}
