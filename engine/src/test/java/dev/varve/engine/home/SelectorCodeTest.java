package dev.varve.engine.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SelectorCodeTest {
  private static final Selector EVERY_KIND =
      new Selector(
          List.of(
              new TagFilter.Equal("a", "1"),
              new TagFilter.NotEqual("b", ""),
              new TagFilter.In("c", Set.of("x", "y".repeat(300), "ü")),
              new TagFilter.Prefix("d", "p"),
              new TagFilter.Regex("e", ".+"),
              new TagFilter.NotRegex("f", "a|b"),
              new TagFilter.Has("g")));

  @Test
  void decodesWhatItEncodes() {
    assertThat(SelectorCode.decode(ByteBuffer.wrap(SelectorCode.encode(EVERY_KIND))))
        .isEqualTo(EVERY_KIND);
  }

  @Test
  void refusesEveryTruncationAndWhateverFollows() {
    byte[] bytes = SelectorCode.encode(EVERY_KIND);
    for (int length = 0; length < bytes.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(bytes, 0, length);
      assertThatThrownBy(() -> SelectorCode.decode(cut))
          .isInstanceOfAny(IllegalArgumentException.class, BufferUnderflowException.class);
    }
    assertThatThrownBy(() -> SelectorCode.decode(ByteBuffer.wrap(new byte[] {0, 1})))
        .hasMessageContaining("1 bytes after the selector");
    assertThatThrownBy(() -> SelectorCode.decode(ByteBuffer.wrap(new byte[] {1, 9, 0})))
        .hasMessageContaining("filter of type 9");
  }
}
