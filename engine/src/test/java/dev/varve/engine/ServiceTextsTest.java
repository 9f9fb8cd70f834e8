package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.ServiceTexts.Text;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.ReadGuard;
import dev.varve.layout.registry.Layouts;
import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Texts of services survive a restart and do not mix. */
class ServiceTextsTest {
  @TempDir @Nullable Path directory;

  private final MemoryStore cells = new MemoryStore();

  private Engine open() {
    return Engine.open(
        new EngineConfig(
            Objects.requireNonNull(directory),
            EngineConfig.DEFAULT_MEMORY,
            List.of(TestEngine.dataset("main", Layouts.of("buckets", Map.of()))),
            "main"),
        (kind, path, memory) -> new StoreAround(cells),
        () -> TestEngine.START_MICROS);
  }

  @AfterEach
  void close() {
    cells.close();
  }

  private static List<String> keys(ServiceTexts texts, String serviceKey, String prefix) {
    return texts.texts("svc", serviceKey, prefix, ReadGuard.NONE).stream().map(Text::key).toList();
  }

  private static @Nullable String text(ServiceTexts texts, String key) {
    Text found = texts.get("svc", "k", key);
    return found == null ? null : found.text();
  }

  @Test
  void areListedInOrderAndSurviveARestart() {
    try (Engine engine = open()) {
      ServiceTexts texts = engine.defaultDataset().services();
      texts.put("svc", "k", "b", "");
      texts.put("svc", "k", "a", "ü");
      texts.put("svc", "k", "a", "second");
      texts.put("svc", "k2", "ab", "other");
      texts.put("sv", "k3", "c", "another service");
    }
    try (Engine engine = open()) {
      ServiceTexts texts = engine.defaultDataset().services();
      assertThat(texts.serviceKeys("svc", ReadGuard.NONE)).containsExactly("k", "k2");
      assertThat(texts.serviceKeys("s", ReadGuard.NONE)).isEmpty();
      assertThat(keys(texts, "k", "")).containsExactly("a", "b");
      assertThat(keys(texts, "k", "b")).containsExactly("b");
      assertThat(keys(texts, "k2", "b")).isEmpty();
      assertThat(text(texts, "a")).isEqualTo("second");
      assertThat(text(texts, "b")).isEmpty();
      assertThat(text(texts, "ab")).isNull();
    }
  }

  @Test
  void areWrittenAgainAfterADelete() {
    try (Engine engine = open()) {
      ServiceTexts texts = engine.defaultDataset().services();
      texts.delete("svc", "k", "a");
      texts.put("svc", "k", "a", "one");
      texts.delete("svc", "k", "a");
      assertThat(text(texts, "a")).isNull();
      assertThat(texts.serviceKeys("svc", ReadGuard.NONE)).isEmpty();
      texts.put("svc", "k", "a", "two");
      assertThat(text(texts, "a")).isEqualTo("two");
    }
  }

  @Test
  void areReplacedOnlyIfTheyAreAsExpected() {
    try (Engine engine = open()) {
      ServiceTexts texts = engine.defaultDataset().services();
      assertThat(texts.putIf("svc", "k", "a", "x", "y")).isFalse();
      assertThat(texts.putIf("svc", "k", "a", null, "x")).isTrue();
      assertThat(texts.putIf("svc", "k", "a", null, "z")).isFalse();
      assertThat(texts.putIf("svc", "k", "a", "x", "y")).isTrue();
      assertThat(text(texts, "a")).isEqualTo("y");
    }
  }

  @Test
  void haveBoundedNamesAndLengths() {
    try (Engine engine = open()) {
      ServiceTexts texts = engine.defaultDataset().services();
      assertThatThrownBy(() -> texts.put("svc", "k", "n".repeat(3_000), ""))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a name of 3,006 bytes is longer than 3,000");
      assertThatThrownBy(() -> texts.put("svc", "k\0", "a", ""))
          .hasMessage("a name contains the character NUL");
      assertThatThrownBy(() -> texts.put("svc", "k", "a", "x".repeat((1 << 20) + 1)))
          .hasMessage("a text of 1,048,577 bytes is longer than 1,048,576");
    }
  }
}
