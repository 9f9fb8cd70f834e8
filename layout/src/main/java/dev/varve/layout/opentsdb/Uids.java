package dev.varve.layout.opentsdb;

import dev.varve.layout.NameNumbers;
import dev.varve.layout.RefusedException;
import dev.varve.layout.Step;
import dev.varve.model.Bytes;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The UIDs of names, one name at a time. */
record Uids(UidTable uids) implements NameNumbers {
  private static UidTable.Kind kind(Part part) {
    return switch (part) {
      case METRIC -> UidTable.Kind.METRIC;
      case TAG_NAME -> UidTable.Kind.TAGK;
      case TAG_VALUE -> UidTable.Kind.TAGV;
    };
  }

  @Override
  public int table() {
    return OpenTsdbLayout.UIDS;
  }

  @Override
  public int width(Part part) {
    return uids.width(kind(part));
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
        : uids.uids(List.of(new UidTable.Name(kind(part), name)), create)
            .map(found -> found.map(List::getFirst));
  }

  @Override
  public Step<Renaming> rename(Part part, String old, String name) {
    String flaw = UidTable.flaw(part.name(), name, false);
    if (flaw != null) {
      throw new RefusedException("opentsdb.uid", flaw);
    }
    return UidTable.flaw(part.name(), old, true) != null
        ? Step.done(new Renaming.Unknown())
        : uids.rename(new UidTable.Name(kind(part), old), new UidTable.Name(kind(part), name));
  }

  @Override
  public Step<Optional<String>> note(Part part, Bytes number) {
    return uids.note(kind(part), number);
  }

  @Override
  public Step<Boolean> putNote(Part part, Bytes number, @Nullable String expected, String note) {
    return UidTable.putNote(kind(part), number, expected, note);
  }

  @Override
  public Step<Boolean> removeNote(Part part, Bytes number) {
    return UidTable.removeNote(kind(part), number);
  }

  @Override
  public Step<Optional<String>> name(Part part, Bytes number) {
    return number.length() == width(part)
        ? uids.name(kind(part), number)
        : Step.done(Optional.empty());
  }
}
