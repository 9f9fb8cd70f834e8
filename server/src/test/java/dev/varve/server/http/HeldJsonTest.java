package dev.varve.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.ErrorKind;
import dev.varve.server.http.WriteBudget.Reservation;
import java.io.ByteArrayInputStream;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.json.JsonFactory;

class HeldJsonTest {
  private static final JsonFactory FACTORY = new JsonFactory();

  private final WriteBudget budget = new WriteBudget(2 << 20);
  private final Reservation memory = budget.open(ClientAddress.LOCAL);

  private JsonParser parser(String text) {
    return HeldJson.of(FACTORY, new ByteArrayInputStream(text.getBytes(UTF_8)), memory);
  }

  private static String readTo(JsonParser json, JsonToken last) {
    JsonToken token = json.nextToken();
    while (token != last) {
      token = json.nextToken();
    }
    return json.getString();
  }

  @Test
  void aTextIsHeldAsLongAsItIsTheToken() {
    try (JsonParser json = parser("[\"" + "x".repeat(100_000) + "\",1]")) {
      assertThat(readTo(json, JsonToken.VALUE_STRING)).hasSize(100_000);
      assertThat(memory.held()).isGreaterThan(500_000);
      json.nextToken();
      assertThat(memory.held()).isLessThan(100_000);
    }
    assertThat(memory.held()).isZero();
  }

  @Test
  void aTextForWhichThereIsNoRoomIsRefused() {
    try (JsonParser json = parser("[\"" + "x".repeat(1_000_000) + "\"]")) {
      assertThatThrownBy(() -> readTo(json, JsonToken.VALUE_STRING))
          .isInstanceOfSatisfying(
              OverBudgetException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.LIMIT));
    }
    assertThat(memory.held()).isZero();
  }

  @Test
  void aNameIsHeldOnceUntilTheEnd() {
    StringBuilder names = new StringBuilder("[{\"a\":1");
    for (int i = 0; i < 1000; i++) {
      names.append(",\"name%d\":1".formatted(i % 100));
    }
    try (JsonParser json = parser(names + "}]")) {
      readTo(json, JsonToken.END_ARRAY);
      assertThat(memory.held()).isBetween(16_000L, 40_000L);
    }
    assertThat(memory.held()).isZero();
  }

  @Test
  void namesThatArePassedOverAreHeldToo() {
    StringBuilder names = new StringBuilder("[{\"a\":{\"b\":1");
    for (int i = 0; i < 10_000; i++) {
      names.append(",\"name%d\":[]".formatted(i));
    }
    try (JsonParser json = parser(names + "}}]")) {
      assertThatThrownBy(
              () -> {
                readTo(json, JsonToken.PROPERTY_NAME);
                json.nextToken();
                json.skipChildren();
              })
          .isInstanceOf(OverBudgetException.class);
    }
  }

  @Test
  void skipsWhatAParserSkips() {
    try (JsonParser json = parser("[[1,{\"a\":[{}]}],{\"b\":2},3]")) {
      json.nextToken();
      json.nextToken();
      json.skipChildren();
      assertThat(json.currentToken()).isEqualTo(JsonToken.END_ARRAY);
      json.nextToken();
      json.skipChildren();
      json.nextToken();
      json.skipChildren();
      assertThat(json.getIntValue()).isEqualTo(3);
    }
  }

  @Test
  void blanksAreNotHeld() {
    try (JsonParser json = parser("[" + " \n\t".repeat(1_000_000) + "]")) {
      readTo(json, JsonToken.END_ARRAY);
      assertThat(memory.held()).isLessThan(200_000);
    }
  }
}
