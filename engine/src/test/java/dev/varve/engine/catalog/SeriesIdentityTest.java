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
    encoded[0] = 3;
    assertThatThrownBy(() -> SeriesIdentity.decode(encoded, 0, encoded.length))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("version 3, known are 1 and 2 at byte 1");
  }

  /** The identity is stored in cells, so it must never change. */
  @Test
  void staysWhatItIs() {
    assertThat(Bytes.of(SeriesIdentity.encode(CPU)).hex())
        .isEqualTo("02" + "03637075" + "01" + "04686f7374" + "0161" + "01" + "03706f64" + "0137");
    assertThat(Bytes.of(SeriesIdentity.of(CPU).toArray()).hex())
        .isEqualTo("1144e9c0944d9d75bc829f28b1c02c15");
  }

  /** Metrics of one entity are neighbours, and an identity differs if anything does. */
  @Property
  void beginsWithTheTags(
      @ForAll("keys") GroupKey key, @ForAll("keys") GroupKey other, @ForAll boolean same) {
    GroupKey second = same ? new GroupKey(other.metric(), key.tags(), key.resource()) : other;
    SeriesIdentity one = SeriesIdentity.of(key);
    SeriesIdentity two = SeriesIdentity.of(second);
    assertThat(one.high() == two.high())
        .isEqualTo(key.tags().equals(second.tags()) && key.resource().equals(second.resource()));
    assertThat(one.low() == two.low()).isEqualTo(key.metric().equals(second.metric()));
  }

  @Test
  void readsKeysOfEarlierBuilds() {
    byte[] encoded = SeriesIdentity.encode(CPU);
    encoded[0] = SeriesIdentity.FORMER_VERSION;
    assertThat(SeriesIdentity.decode(encoded, 0, encoded.length)).isEqualTo(CPU);
  }

  @Provide
  Arbitrary<GroupKey> keys() {
    Arbitrary<String> texts =
        Arbitraries.strings().alpha().numeric().withChars('ä', '\0').ofMaxLength(200);
    Arbitrary<Tags> tags = Arbitraries.maps(texts, texts).ofMaxSize(3).map(Tags::of);
    return Combinators.combine(texts, tags, tags).as(GroupKey::new);
  }
}
