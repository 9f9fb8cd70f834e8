package dev.varve.store.bigtable;

import com.google.api.core.ApiFunction;
import io.grpc.ForwardingChannelBuilder2;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a client. After an outage gRPC waits for up to two minutes before it looks
 * whether the other side is back, and this cannot be set; but it can be told to look now.
 */
final class Channels {
  private static final long PAUSE_NANOS = 500_000_000;

  private final Set<ManagedChannel> channels = ConcurrentHashMap.newKeySet();
  private final AtomicLong lastLook = new AtomicLong(System.nanoTime() - PAUSE_NANOS);

  /** Makes connections as a client is set up to, and notes them. */
  @SuppressWarnings("rawtypes")
  ApiFunction<ManagedChannelBuilder, ManagedChannelBuilder> noted(
      @Nullable ApiFunction<ManagedChannelBuilder, ManagedChannelBuilder> setUp) {
    return builder -> new Noted(setUp == null ? builder : setUp.apply(builder));
  }

  /** Connects again at once where there is no connection; does nothing if it did so just now. */
  void reconnect() {
    long last = lastLook.get();
    long now = System.nanoTime();
    if (now - last >= PAUSE_NANOS && lastLook.compareAndSet(last, now)) {
      channels.removeIf(ManagedChannel::isShutdown);
      channels.forEach(ManagedChannel::resetConnectBackoff);
    }
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
