package dev.varve.store.bigtable;

import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Maps a table of the SPI to one of Bigtable's. */
final class TableMapping {
  private static final int NAME_MAX = 50;
  private static final int HASH_BYTES = 8;
  private static final int FAMILIES_MAX = 100;
  private static final String FAMILY_NAME = "[-_.a-zA-Z0-9]{1,64}";
  private static final String FOREIGN_NAME = "[_a-zA-Z0-9][-_.a-zA-Z0-9]{0,49}";

  private final TableSpec spec;
  private final String id;
  private final List<FamilyMapping> families = new ArrayList<>();
  private final Map<String, Integer> places = new HashMap<>();
  private final Set<String> absent;
  private volatile boolean dropped;

  /**
   * Maps a table.
   *
   * @param prefix the prefix of the names of all tables that Varve creates
   */
  TableMapping(TableSpec spec, String prefix) {
    this(spec, prefix, Set.of());
  }

  /**
   * Maps a foreign table.
   *
   * @param absent families that it was created without; they are empty and stay so
   */
  TableMapping(TableSpec spec, String prefix, Set<String> absent) {
    this.spec = spec;
    this.absent = Set.copyOf(absent);
    this.id = spec.foreign() ? spec.name() : id(spec.name(), prefix);
    for (FamilySpec family : spec.families()) {
      places.put(family.name(), families.size());
      families.add(new FamilyMapping(family, spec.timeUnit(), spec.foreign()));
    }
  }

  /** Returns why Bigtable cannot hold the table; empty if it can. */
  static List<String> reasonsAgainst(TableSpec spec, String prefix) {
    List<String> reasons = new ArrayList<>();
    if (spec.foreign() && !spec.name().matches(FOREIGN_NAME)) {
      reasons.add(
          "table '%s' is not a valid name in Bigtable, where names have at most %d characters and begin with a letter, a digit or _"
              .formatted(spec.name(), NAME_MAX));
    }
    if (spec.families().size() > FAMILIES_MAX) {
      reasons.add(
          "table '%s' has %d families, but the bigtable store supports at most %d"
              .formatted(spec.name(), spec.families().size(), FAMILIES_MAX));
    }
    for (FamilySpec family : spec.families()) {
      if (!family.name().matches(FAMILY_NAME)) {
        reasons.add(
            "family '%s' of table '%s' is not a valid name in Bigtable, which allows a-z A-Z 0-9 _ . -"
                .formatted(family.name(), spec.name()));
      }
      if (!spec.foreign()
          && family.time() == TimeUse.CLOCK
          && family.maxVersions() > 1
          && spec.timeUnit() == Resolution.NANOSECONDS) {
        reasons.add(
            "family '%s' of table '%s' keeps versions by a clock of ns, which Bigtable's times cannot tell apart"
                .formatted(family.name(), spec.name()));
      }
    }
    return reasons;
  }

  /**
   * Returns the name in Bigtable of a table that Varve creates: prefix and name or, if that is too
   * long, its start and a hash of the whole.
   */
  static String id(String name, String prefix) {
    String whole = prefix + name;
    if (whole.length() <= NAME_MAX) {
      return whole;
    }
    byte[] bytes = whole.getBytes(StandardCharsets.UTF_8);
    String hash = HexFormat.of().formatHex(sha256(bytes), 0, HASH_BYTES);
    return whole.substring(0, NAME_MAX - hash.length() - 1) + "-" + hash;
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  TableSpec spec() {
    return spec;
  }

  /** Returns the table's name in Bigtable. */
  String id() {
    return id;
  }

  FamilyMapping family(int index) {
    return families.get(index);
  }

  /** Returns the index of a family that Bigtable returned. */
  int place(String family) {
    Integer place = places.get(family);
    if (place == null) {
      throw new StoreException(
          "Bigtable returned family '%s', which table '%s' does not have and no request names"
              .formatted(family, spec.name()));
    }
    return place;
  }

  /** Returns whether the table lacks the family, which then reads as empty. */
  boolean isAbsent(int index) {
    return absent.contains(family(index).name());
  }

  boolean hasStamps() {
    return families.stream().anyMatch(FamilyMapping::isStamped);
  }

  void drop() {
    dropped = true;
  }

  boolean isDropped() {
    return dropped;
  }

  /** Returns why the table can no longer be read or written; null if it can. */
  @Nullable String whyGone() {
    return dropped ? "table '%s' was dropped".formatted(spec.name()) : null;
  }

  void ensureThere() {
    String why = whyGone();
    if (why != null) {
      throw new StoreException(why);
    }
  }
}
