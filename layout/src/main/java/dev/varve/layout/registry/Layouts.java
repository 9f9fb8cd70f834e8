package dev.varve.layout.registry;

import dev.varve.layout.Layout;
import dev.varve.layout.LayoutParameter;
import dev.varve.layout.RefusedException;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.declared.CompanionReader;
import dev.varve.layout.declared.DeclarationReader;
import dev.varve.layout.declared.DeclaredLayout;
import dev.varve.layout.heroic.HeroicLayout;
import dev.varve.layout.kairosdb.KairosDbLayout;
import dev.varve.layout.opentsdb.OpenTsdbLayout;
import dev.varve.layout.opentsdb.OpenTsdbParameters;
import dev.varve.model.Spelling;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Finds layouts: known and ready-made ones by name, all others by their declaration in YAML. */
public final class Layouts {
  /** The default layout of datasets in embedded stores. */
  public static final String DEFAULT = BlockLayout.NAME;

  /** The default layout of datasets in all other stores, a layout of cells. */
  public static final String OF_CELLS = "buckets";

  private static final List<String> READY_MADE =
      List.of(
          OF_CELLS,
          "tall-narrow",
          "short-wide",
          "column-per-event",
          "cell-per-event",
          "single-timestamp-packed",
          "promoted",
          "salted",
          "newest-first",
          "value-in-qualifier",
          "entity",
          "entity-ranges",
          "amended",
          "market-data",
          "server-metrics",
          "smart-meters",
          "companion");

  /** Layouts with byte formats defined by other programs, each in a class of its own. */
  private static final List<Known> KNOWN =
      List.of(
          new Known(
              new Entry(
                  HeroicLayout.NAME,
                  "the tables of Heroic in Bigtable, byte for byte",
                  List.of(),
                  false),
              HeroicLayout::of),
          new Known(
              new Entry(
                  KairosDbLayout.NAME,
                  "the tables of KairosDB in Cassandra, byte for byte",
                  KairosDbLayout.PARAMETERS,
                  false),
              KairosDbLayout::of),
          new Known(
              new Entry(
                  OpenTsdbLayout.NAME,
                  "the tables of OpenTSDB 2.x in HBase, byte for byte",
                  OpenTsdbParameters.LIST,
                  false),
              OpenTsdbLayout::of));

  /** Alternative names of ready-made layouts. */
  private static final Map<String, String> ALIASES =
      Map.of("single-timestamp-columns", "tall-narrow");

  private Layouts() {}

  private record Known(Entry entry, Function<Map<String, String>, Layout> factory) {}

  /**
   * An entry of the list of named layouts.
   *
   * @param about a description in one line
   * @param companion whether it consists of several layouts that hold the same series
   */
  public record Entry(
      String name, String about, List<LayoutParameter> parameters, boolean companion) {
    public Entry {
      parameters = List.copyOf(parameters);
    }
  }

  /** Returns all layouts that can be named, each once, {@code blocks} first. */
  public static List<Entry> listStored() {
    List<Entry> entries = new ArrayList<>();
    entries.add(new Entry(BlockLayout.NAME, BlockLayout.ABOUT, BlockLayout.PARAMETERS, false));
    entries.addAll(list());
    return entries;
  }

  /** Returns all layouts of cells that can be named, each once. */
  public static List<Entry> list() {
    List<Entry> entries = new ArrayList<>();
    for (String name : READY_MADE) {
      String yaml = yaml(name);
      boolean companion = CompanionReader.isCompanion(yaml);
      DeclarationReader.Head head =
          companion ? CompanionReader.head(yaml) : DeclarationReader.head(yaml);
      entries.add(new Entry(name, head.about(), head.parameters(), companion));
    }
    KNOWN.forEach(known -> entries.add(known.entry()));
    return entries;
  }

  /**
   * Creates a layout.
   *
   * @param nameOrYaml a name from {@link #list()}, or the text of a declaration
   * @param parameters values by name; missing ones take their defaults
   * @throws IllegalArgumentException if the name is unknown or names several companions, or if the
   *     declaration or its parameters are invalid; the message lists all problems
   * @throws RefusedException if a known layout rejects the parameters
   */
  public static Layout of(String nameOrYaml, Map<String, String> parameters) {
    List<Layout> layouts = all(nameOrYaml, parameters);
    if (layouts.size() > 1) {
      throw new IllegalArgumentException(
          "'%s' consists of %d companion layouts, expected a single one"
              .formatted(isName(nameOrYaml) ? nameOrYaml : "companion", layouts.size()));
    }
    return layouts.getFirst();
  }

  /**
   * Creates the layouts that hold one set of series, primary first: one, or several companions.
   *
   * @throws IllegalArgumentException as for {@link #of}
   * @throws RefusedException as for {@link #of}
   */
  public static List<Layout> all(String nameOrYaml, Map<String, String> parameters) {
    for (Known known : KNOWN) {
      if (known.entry().name().equals(nameOrYaml)) {
        return List.of(known.factory().apply(parameters));
      }
    }
    String yaml = isName(nameOrYaml) ? yaml(nameOrYaml) : nameOrYaml;
    return CompanionReader.isCompanion(yaml)
        ? CompanionReader.read(yaml, parameters, Layouts::of)
        : List.of(new DeclaredLayout(DeclarationReader.read(yaml, parameters)));
  }

  /**
   * Creates the storage layouts of a period: {@code blocks}, or the layouts of {@link #all}.
   *
   * @throws IllegalArgumentException as for {@link #of}
   * @throws RefusedException as for {@link #of}
   */
  public static List<StorageLayout> stored(String nameOrYaml, Map<String, String> parameters) {
    return nameOrYaml.equals(BlockLayout.NAME)
        ? List.of(BlockLayout.of(parameters))
        : List.copyOf(all(nameOrYaml, parameters));
  }

  private static List<String> names() {
    List<String> names = new ArrayList<>(READY_MADE);
    names.addAll(ALIASES.keySet());
    KNOWN.forEach(known -> names.add(known.entry().name()));
    return names;
  }

  private static boolean isName(String nameOrYaml) {
    return nameOrYaml.indexOf(':') < 0 && nameOrYaml.indexOf('\n') < 0;
  }

  /**
   * Returns the declaration of a ready-made layout.
   *
   * @throws IllegalArgumentException if there is no layout of that name
   */
  public static String yaml(String name) {
    String file = ALIASES.getOrDefault(name, name);
    if (!READY_MADE.contains(file)) {
      throw new IllegalArgumentException(
          "there is no layout '%s' (did you mean '%s'?)"
              .formatted(name, Spelling.nearest(name, names())));
    }
    try (InputStream resource = Layouts.class.getResourceAsStream("ready/" + file + ".yaml")) {
      if (resource == null) {
        throw new IllegalStateException("layout " + file + " is missing from the jar");
      }
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("layout " + file + " cannot be read", e);
    }
  }
}
