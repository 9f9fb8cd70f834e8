package dev.varve.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EvictionPlanTest {
  private final Set<OpenConnection> regular = new LinkedHashSet<>();
  private final List<SocketChannel> channels = new ArrayList<>();
  private final EvictionPlan plan = new EvictionPlan();

  private OpenConnection open(String address) throws Exception {
    SocketChannel channel = SocketChannel.open();
    channels.add(channel);
    OpenConnection opened =
        new OpenConnection(
            channel, InetAddress.getByName(address), false, null, Duration.ofSeconds(1), false);
    regular.add(opened);
    return opened;
  }

  @AfterEach
  void close() throws Exception {
    for (SocketChannel channel : channels) {
      channel.close();
    }
  }

  private @Nullable OpenConnection expel() {
    OpenConnection expelled = plan.expel(regular, null);
    if (expelled != null) {
      regular.remove(expelled);
    }
    return expelled;
  }

  @Test
  void takesTheLongestIdleOfTheClientWithMost() throws Exception {
    OpenConnection single = open("10.0.0.1");
    List<OpenConnection> many = List.of(open("10.0.0.2"), open("10.0.0.2"), open("10.0.0.2"));
    assertThat(many.getFirst().beginRequest()).isTrue();
    assertThat(expel()).isSameAs(many.get(1));
    assertThat(expel()).isSameAs(many.get(2));
    assertThat(expel()).isSameAs(single);
    assertThat(expel()).isNull();
  }

  @Test
  void passesOverWhatIsNoLongerIdleOrThere() throws Exception {
    List<OpenConnection> all =
        List.of(open("10.0.0.1"), open("10.0.0.1"), open("10.0.0.1"), open("10.0.0.1"));
    assertThat(expel()).isSameAs(all.get(0));
    assertThat(all.get(1).beginRequest()).isTrue();
    regular.remove(all.get(2));
    assertThat(expel()).isSameAs(all.get(3));
  }

  @Test
  void takesOnlyThoseOfAClientWhereItIsAskedTo() throws Exception {
    List<OpenConnection> others = List.of(open("10.0.0.1"), open("10.0.0.1"));
    OpenConnection own = open("10.0.0.2");
    assertThat(plan.expel(regular, own.client())).isSameAs(own);
    regular.remove(own);
    assertThat(plan.expel(regular, own.client())).isNull();
    assertThat(expel()).isSameAs(others.getFirst());
  }
}
