package dev.varve.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrustedProxiesTest {
  private static final TrustedProxies PROXIES =
      TrustedProxies.of(List.of("10.0.0.0/8", "192.168.7.9", "fd00::/9"));

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // The peer is not a proxy, so its header is ignored.
        "203.0.113.1;198.51.100.7;203.0.113.1",
        "10.1.2.3;;10.1.2.3",
        "10.1.2.3;198.51.100.7;198.51.100.7",
        "192.168.7.9;198.51.100.7;198.51.100.7",
        "192.168.7.8;198.51.100.7;192.168.7.8",
        // Entries sent by the client itself precede those appended by proxies.
        "10.1.2.3;127.0.0.1, 10.0.0.1, 198.51.100.7;198.51.100.7",
        "10.1.2.3;1.1.1.1, 198.51.100.7, 10.9.9.9;198.51.100.7",
        "10.1.2.3;10.4.4.4, 10.9.9.9;10.4.4.4",
        "10.1.2.3;1.1.1.1, unknown;10.1.2.3",
        "10.1.2.3;1.1.1.1, unknown, 10.9.9.9;10.9.9.9",
        "10.1.2.3;1.1.1.1,,;10.1.2.3",
        "10.1.2.3;198.51.100.7:51234;198.51.100.7",
        "10.1.2.3;2001:db8::7;2001:db8:0:0:0:0:0:7",
        "10.1.2.3;[2001:db8::7]:443;2001:db8:0:0:0:0:0:7",
        "fd7f::1;198.51.100.7;198.51.100.7",
        "fd80::1;198.51.100.7;fd80:0:0:0:0:0:0:1",
        "10.1.2.3;::ffff:198.51.100.7;198.51.100.7",
        "10.1.2.3;www.example.org;10.1.2.3",
      })
  void findsTheLastHopThatIsNoTrustedProxy(String peer, String header, String client) {
    List<String> values = header == null ? List.of() : List.of(header);
    assertThat(PROXIES.client(InetAddress.ofLiteral(peer), values).getHostAddress())
        .isEqualTo(client);
  }

  /**
   * Whatever a client sends in the header, it is identified by the address that the proxies saw.
   */
  @Test
  void noClientCanPassForAnother() {
    RandomGenerator random = new Random(7);
    for (int round = 0; round < 20_000; round++) {
      List<String> hops = new ArrayList<>();
      for (int i = random.nextInt(5); i > 0; i--) {
        hops.add(forged(random));
      }
      String client = "203.0.113." + random.nextInt(256);
      hops.add(client);
      int proxies = random.nextInt(4);
      for (int i = 0; i < proxies; i++) {
        hops.add("10." + random.nextInt(256) + ".0." + random.nextInt(256));
      }
      InetAddress peer = InetAddress.ofLiteral("10.0.0." + random.nextInt(256));
      assertThat(PROXIES.client(peer, values(hops, random)).getHostAddress())
          .as("%s", hops)
          .isEqualTo(client);
      InetAddress itself = InetAddress.ofLiteral(client);
      assertThat(PROXIES.client(itself, values(hops, random))).isEqualTo(itself);
    }
  }

  private static String forged(RandomGenerator random) {
    return switch (random.nextInt(6)) {
      case 0 -> "10.0.0." + random.nextInt(256);
      case 1 -> "127.0.0.1";
      case 2 -> "";
      case 3 -> "[::1]:" + random.nextInt(70_000);
      case 4 -> "unknown";
      default -> Long.toString(random.nextLong(), 36) + ".\"\\;= ";
    };
  }

  /** Splits hops over one or several headers. */
  private static List<String> values(List<String> hops, RandomGenerator random) {
    List<String> values = new ArrayList<>();
    for (String hop : hops) {
      if (values.isEmpty() || random.nextInt(4) == 0) {
        values.add(hop);
      } else {
        values.add(values.removeLast() + (random.nextBoolean() ? "," : " , ") + hop);
      }
    }
    return values;
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "fd00::/129", "proxy", ""})
  void refusesWhatIsNoNetwork(String text) {
    assertThatThrownBy(() -> TrustedProxies.of(List.of(text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }

  @Test
  void countsIpv6ByNetwork() {
    ClientAddress one = ClientAddress.of(InetAddress.ofLiteral("2001:db8:1:2::3"));
    assertThat(one)
        .isEqualTo(ClientAddress.of(InetAddress.ofLiteral("2001:db8:1:2:ffff::9")))
        .isNotEqualTo(ClientAddress.of(InetAddress.ofLiteral("2001:db8:1:3::3")))
        .hasToString("2001:db8:1:2:0:0:0:0/64");
    assertThat(ClientAddress.of(InetAddress.ofLiteral("::ffff:192.0.2.1")))
        .isEqualTo(ClientAddress.of(InetAddress.ofLiteral("192.0.2.1")))
        .isNotEqualTo(ClientAddress.of(InetAddress.ofLiteral("192.0.2.2")));
  }
}
