package dev.varve.layout.block;

import dev.varve.layout.Domain;
import dev.varve.layout.Domain.Alphabet;
import dev.varve.layout.Domain.Numbers;
import dev.varve.layout.LayoutIdentity;
import dev.varve.layout.LayoutParameter;
import dev.varve.layout.StorageLayout;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.Power;
import dev.varve.store.TableSpec;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Varve's own layout: runs of samples as compressed blocks. Samples collect in memory, protected by
 * a journal, until they are sealed into blocks.
 *
 * <p>{@link BlockKey} has a diagram of the keys, the engine one of the journal entries, and {@code
 * docs/layouts/blocks.md} one of the blocks.
 *
 * @param resolution the unit of all sample times
 */
public record BlockLayout(Resolution resolution) implements StorageLayout {
  public static final String NAME = "blocks";

  /** A description in one line. */
  public static final String ABOUT = "runs of samples, compressed";

  /** Index of the table of blocks in {@link #tables()}. */
  public static final int BLOCKS = 0;

  /** Index of the table of journal entries in {@link #tables()}. */
  public static final int JOURNAL = 1;

  /** Index of the family of block heads in the table of blocks. */
  public static final int HEADS = 0;

  /** Index of the family of block bodies in the table of blocks. */
  public static final int BODIES = 1;

  /** Index of the family of shared times in the table of blocks. */
  public static final int TIMES = 2;

  private static final String RESOLUTION = "resolution";

  /** The parameters that a declaration may give. */
  public static final List<LayoutParameter> PARAMETERS =
      List.of(
          new LayoutParameter(
              RESOLUTION, Resolution.MILLISECONDS.symbol(), "unit of times: s, ms, us or ns"));

  private static final List<TableSpec> TABLES =
      List.of(
          new TableSpec(
              "blocks",
              List.of(FamilySpec.latest("h"), FamilySpec.latest("b"), FamilySpec.latest("t")),
              Resolution.MICROSECONDS,
              Partitioning.NONE),
          new TableSpec(
              "journal",
              List.of(FamilySpec.latest("j")),
              Resolution.MICROSECONDS,
              Partitioning.NONE));

  /** Everything but attributes and versions. */
  public static final Domain DOMAIN =
      new Domain(
          Kind.ALL,
          Numbers.ALL,
          TimeRange.ALL,
          0,
          Integer.MAX_VALUE,
          null,
          true,
          true,
          Alphabet.UTF8,
          false,
          false);

  /**
   * Creates the layout.
   *
   * @param parameters values by name; missing ones take their defaults
   * @throws IllegalArgumentException if a parameter is unknown or has an invalid value
   */
  public static BlockLayout of(Map<String, String> parameters) {
    for (String name : parameters.keySet()) {
      if (!name.equals(RESOLUTION)) {
        throw new IllegalArgumentException(
            "layout 'blocks' has no parameter '%s'; it has: %s".formatted(name, RESOLUTION));
      }
    }
    String symbol = parameters.getOrDefault(RESOLUTION, Resolution.MILLISECONDS.symbol());
    return new BlockLayout(Resolution.ofSymbol(symbol));
  }

  /** Returns whether the layout has all of these parameters. */
  public static boolean knows(Set<String> parameters) {
    return Set.of(RESOLUTION).containsAll(parameters);
  }

  @Override
  public LayoutIdentity identity() {
    return new LayoutIdentity(
        NAME,
        Map.of(
            "codec.block",
            "2",
            "codec.journal",
            "1",
            "codec.key",
            "1",
            RESOLUTION,
            resolution.symbol()));
  }

  @Override
  public List<TableSpec> tables() {
    return TABLES;
  }

  @Override
  public List<RowPart> rowParts() {
    return BlockKey.PARTS;
  }

  @Override
  public Set<Class<? extends Power>> needs() {
    return Set.of(Power.RangeDelete.class);
  }

  @Override
  public Domain domain() {
    return DOMAIN;
  }
}
