package dev.varve.layout.declared;

import dev.varve.model.Resolution;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A layout as declared. Nothing is checked here; {@link DeclaredLayout} validates it and reports
 * all faults at once.
 *
 * @param name name of the layout, 1 to 100 characters of {@code a-z A-Z 0-9 _ . -}
 * @param about one line for lists of layouts; may be empty
 * @param table name of its table
 * @param resolution unit of all sample times
 * @param retention how long samples are kept, by sample time, which bounds the size of a row; null
 *     if unbounded. The engine enforces it.
 * @param key the row key, part by part
 * @param partition number of leading key parts that name the partition
 * @param families in table order
 * @param attributes where attributes are stored; null if they are not supported
 * @param allow rules of guardrails that the author overrules
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
