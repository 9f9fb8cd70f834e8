package dev.varve.layout.declared;

import dev.varve.model.Resolution;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A layout as it is declared. Nothing is checked here; {@link DeclaredLayout} refuses what makes no
 * layout, all faults at once.
 *
 * @param name of the layout, 1 to 100 characters of {@code a-z A-Z 0-9 _ . -}
 * @param about one line for lists of layouts; may be empty
 * @param table the name of its table
 * @param resolution the unit of all sample times
 * @param retention how long samples are kept by their own time, as a bound on what a row can grow
 *     to; null where nothing bounds it. Whoever opens the layout carries it out.
 * @param key the row key, part by part
 * @param partition how many leading parts of the key name the partition
 * @param families in the order of the table
 * @param attributes where attributes have their place; null where they have none
 * @param allow guardrails that the author has read and overrules, by rule
 */
public record Declaration(
    String name,
    String about,
    String table,
    Resolution resolution,
    @Nullable Duration retention,
    List<KeyElement> key,
    int partition,
    List<FamilyDeclaration> families,
    @Nullable AttributesDeclaration attributes,
    Set<String> allow) {
  public Declaration {
    key = List.copyOf(key);
    families = List.copyOf(families);
    allow = Set.copyOf(allow);
  }

  /** Starts a declaration in Java. */
  public static DeclarationBuilder named(String name) {
    return new DeclarationBuilder(name);
  }
}
