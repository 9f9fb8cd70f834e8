package dev.varve.store.bigtable;

import com.google.api.core.ApiFunction;
import io.grpc.ConnectivityState;
import io.grpc.ForwardingChannelBuilder2;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a client. After an outage gRPC waits for up to two minutes before it looks
 * whether the other side is back, and this cannot be set; but it can be told to look now.
 */
final class Channels {
  private static final Duration PAUSE = Duration.ofMillis(250);

  /** How often one failure makes it look; those that follow make it look again. */
  private static final int LOOKS = 40;

  private final Set<ManagedChannel> channels = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean looking = new AtomicBoolean();

  /** Makes connections as a client is set up to, and notes them. */
  @SuppressWarnings("rawtypes")
  ApiFunction<ManagedChannelBuilder, ManagedChannelBuilder> noted(
      @Nullable ApiFunction<ManagedChannelBuilder, ManagedChannelBuilder> setUp) {
    return builder -> new Noted(setUp == null ? builder : setUp.apply(builder));
  }

  /** For a while makes connections that are lost be sought again and again; returns at once. */
  void reconnect() {
    if (looking.compareAndSet(false, true)) {
      Thread.ofVirtual().name("bigtable-reconnect").start(this::look);
    }
  }

  private void look() {
    try {
      for (int i = 0; i < LOOKS && seek(); i++) {
        Thread.sleep(PAUSE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      looking.set(false);
    }
  }

  /** Returns whether a connection is still missing. */
  private boolean seek() {
    channels.removeIf(ManagedChannel::isShutdown);
    boolean missing = false;
    for (ManagedChannel channel : channels) {
      ConnectivityState state = channel.getState(false);
      if (state == ConnectivityState.TRANSIENT_FAILURE) {
        channel.resetConnectBackoff();
      }
      missing |=
          state == ConnectivityState.TRANSIENT_FAILURE || state == ConnectivityState.CONNECTING;
    }
    return missing;
  }

  private final class Noted extends ForwardingChannelBuilder2<Noted> {
    private final ManagedChannelBuilder<?> builder;

    private Noted(ManagedChannelBuilder<?> builder) {
      this.builder = builder;
    }

    @Override
    protected ManagedChannelBuilder<?> delegate() {
      return builder;
    }

    @Override
    public ManagedChannel build() {
      ManagedChannel channel = builder.build();
      channels.add(channel);
      return channel;
    }
  }
}
