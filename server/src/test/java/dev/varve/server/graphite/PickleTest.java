package dev.varve.server.graphite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pickles that Python writes, and malicious ones. */
class PickleTest {
  private static final List<Object> SAMPLES =
      List.of(
          List.of("servers.a.load", List.of(1700000000L, 1.5)),
          List.of("servers.b.load", List.of(1700000000.25, -2L)),
          List.of("mem;host=ä", List.of(1700000001L, 1L << 40)),
          List.of("many.7", List.of(1700000002L, 1e300)));

  private static final List<Object> AGAIN = List.of("again", List.of(1700000003L, 0.5));

  /** One line of the test vectors. */
  record Vector(int protocol, String name, byte[] bytes) {
    @Override
    public String toString() {
      return "protocol " + protocol + ", " + name;
    }
  }

  static Stream<Vector> vectors() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(PickleTest.class.getResourceAsStream("pickles.tsv"))) {
      return new String(in.readAllBytes(), UTF_8)
              .lines()
              .filter(line -> !line.startsWith("#"))
              .map(line -> line.split("\t", -1))
              .map(cells ->
                  new Vector(
                      Integer.parseInt(cells[0]), cells[1], HexFormat.of().parseHex(cells[2])))
              .toList()
              .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void readsOrRefusesWhatPythonWrites(Vector vector) {
    switch (vector.name()) {
      case "samples" -> assertThat(read(vector.bytes())).isEqualTo(SAMPLES);
      case "shared" ->
          assertThat(read(vector.bytes())).isEqualTo(List.of(SAMPLES.getFirst(), AGAIN, AGAIN));
      case "tuple" -> assertThat(read(vector.bytes())).isEqualTo(List.of(SAMPLES.getFirst()));
      case "call" ->
          assertThatThrownBy(() -> read(vector.bytes()))
              .hasMessageMatching("pickle, byte \\d+: opcode (STACK_)?GLOBAL is refused: .*");
      default ->
          assertThatThrownBy(() -> read(vector.bytes()))
              .hasMessageContaining("opcode DICT is refused");
    }
  }

  /** Written by Python 2, whose strings are bytes. */
  @Test
  void readsTheTextsOfPythonTwo() {
    String first = "(lp0\n(S'servers.a.load'\np1\n(I1700000000\nF1.5\ntp2\ntp3\na.";
    assertThat(read(first.getBytes(UTF_8))).isEqualTo(List.of(SAMPLES.getFirst()));
    byte[] second =
        HexFormat.of()
            .parseHex(
                "80025d7100550e736572766572732e612e6c6f61647101"
                    + "4a00f15365473ff80000000000008671028671036"
                    + "12e");
    assertThat(read(second)).isEqualTo(List.of(SAMPLES.getFirst()));
    assertThat(read("S'a\\'b\\x41\\n'\n.".getBytes(UTF_8))).isEqualTo("a'bA\n");
    assertThat(read("S'\\xc3\\xa4'\n.".getBytes(UTF_8))).isEqualTo("ä");
    assertThat(read("L-12L\n.".getBytes(UTF_8))).isEqualTo(-12L);
  }

  @Test
  void namesWhatIsWrong() {
    assertThatThrownBy(() -> read(new byte[0])).hasMessage("pickle, byte 0: ends in the middle");
    assertThatThrownBy(() -> read(new byte[] {'e'}))
        .hasMessage("pickle, byte 1: pops to a mark, but the stack has none");
    assertThatThrownBy(() -> read(new byte[] {'K', 1, 'a'}))
        .hasMessage("pickle, byte 3: takes a value where there is none");
    assertThatThrownBy(() -> read(new byte[] {'X', -1, -1, -1, 127}))
        .hasMessage("pickle, byte 5: announces more bytes than there are");
    assertThatThrownBy(() -> read(new byte[] {(byte) 0x80, 9}))
        .hasMessage("pickle, byte 2: protocol 9 is not known, 5 is the last");
    assertThatThrownBy(() -> read("cos\nsystem\n(S'x'\ntR.".getBytes(UTF_8)))
        .hasMessage(
            "pickle, byte 1: opcode GLOBAL is refused: samples are texts, numbers, lists and tuples");
  }

  private static Object read(byte[] pickle) {
    return Pickle.read(pickle, bytes -> {});
  }
}
