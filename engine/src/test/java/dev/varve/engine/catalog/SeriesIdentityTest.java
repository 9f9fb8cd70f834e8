package dev.varve.engine.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class SeriesIdentityTest {
  private static final GroupKey CPU =
      new GroupKey("cpu", Tags.of("host", "a"), Tags.of("pod", "7"));

  @Property
  void readsWhatItWrites(@ForAll("keys") GroupKey key) {
    byte[] encoded = SeriesIdentity.encode(key);

    assertThat(SeriesIdentity.decode(encoded, 0, encoded.length)).isEqualTo(key);
  }

  @Property
  void refusesWhatEndsEarlyOrGoesOn(@ForAll("keys") GroupKey key) {
    byte[] encoded = SeriesIdentity.encode(key);

    for (int cut = 0; cut < encoded.length; cut++) {
      int end = cut;
      assertThatThrownBy(() -> SeriesIdentity.decode(encoded, 0, end))
          .isInstanceOf(IllegalArgumentException.class);
    }
    byte[] longer = Arrays.copyOf(encoded, encoded.length + 1);
    assertThatThrownBy(() -> SeriesIdentity.decode(longer, 0, longer.length))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 bytes too many");
  }

  @Test
  void refusesALaterFormatByName() {
    byte[] encoded = SeriesIdentity.encode(CPU);
    encoded[0]++;
    assertThatThrownBy(() -> SeriesIdentity.decode(encoded, 0, encoded.length))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("version 2, known is 1 at byte 1");
  }

  /** The identity is stored in cells, so it must never change. */
  @Test
  void staysWhatItIs() {
    assertThat(Bytes.of(SeriesIdentity.encode(CPU)).hex())
        .isEqualTo("01" + "03637075" + "01" + "04686f7374" + "0161" + "01" + "03706f64" + "0137");
    assertThat(Bytes.of(SeriesIdentity.of(CPU).toArray()).hex())
        .isEqualTo("695b1cafc62b2e7bc053ec3ed4b62a9f");
  }

  @Provide
  Arbitrary<GroupKey> keys() {
    Arbitrary<String> texts =
        Arbitraries.strings().alpha().numeric().withChars('ä', '\0').ofMaxLength(200);
    Arbitrary<Tags> tags = Arbitraries.maps(texts, texts).ofMaxSize(3).map(Tags::of);
    return Combinators.combine(texts, tags, tags).as(GroupKey::new);
  }
}
