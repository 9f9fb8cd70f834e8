package dev.varve.layout.plan;

import dev.varve.layout.Binding;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyPart;
import dev.varve.layout.RowShape;
import dev.varve.model.Bytes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Bindings grouped by the first parts of their row keys, as far as these depend on the series.
 * Groups are in the order of their first bindings.
 *
 * @param members indexes of the bindings of each group
 */
record Groups(List<List<Integer>> members) {
  /**
   * Returns those of the first {@code pinned} parts of a row key that are equal in all rows of a
   * series.
   */
  static List<KeyPart> given(RowShape shape, int pinned) {
    List<KeyPart> given = new ArrayList<>();
    for (KeyPart part : shape.parts().subList(0, pinned)) {
      if (part.role().ofKey()
          || (part instanceof KeyPart.Salt salt && salt.of() == KeyPart.Salt.Of.KEY)) {
        given.add(part);
      }
    }
    return given;
  }

  static Groups of(List<? extends Binding> bindings, List<KeyPart> given) {
    Map<Bytes, List<Integer>> groups = new LinkedHashMap<>();
    KeyBytes bytes = new KeyBytes();
    for (int i = 0; i < bindings.size(); i++) {
      KeyInput input = new KeyInput(bindings.get(i));
      bytes.clear();
      for (KeyPart part : given) {
        part.encode(input, bytes);
      }
      groups.computeIfAbsent(bytes.toBytes(), key -> new ArrayList<>(1)).add(i);
    }
    return new Groups(List.copyOf(groups.values()));
  }

  int count() {
    return members.size();
  }
}
