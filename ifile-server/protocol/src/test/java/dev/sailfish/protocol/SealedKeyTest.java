package dev.sailfish.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.sailfish.protocol.wire.GetJobKeyResponse;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Seeded
class SealedKeyTest {
  private static final byte[] SECRET = {1, 2, 3};

  private static byte[] flipped(ByteString bytes, SplittableRandom random) {
    byte[] flipped = bytes.toByteArray();
    flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
    return flipped;
  }

  private static void assertRefused(
      byte[] secret, byte[] session, String job, GetJobKeyResponse sealed) {
    assertThatThrownBy(() -> SealedKey.open(secret, session, job, sealed))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("key of job=" + job);
  }

  @Test
  void opensWhatWasSealed(SplittableRandom random) throws IOException {
    byte[] key = TestBytes.random(random, 32);
    byte[] session = TestBytes.random(random, 32);
    GetJobKeyResponse one = SealedKey.seal(SECRET, session, "job_1", key);
    GetJobKeyResponse two = SealedKey.seal(SECRET, session, "job_1", key);
    assertThat(SealedKey.open(SECRET, session, "job_1", one)).isEqualTo(key);
    assertThat(SealedKey.open(SECRET, session, "job_1", two)).isEqualTo(key);
    assertThat(one.getSealedKey().toByteArray()).isNotEqualTo(key);
    assertThat(one.getSealedKey()).isNotEqualTo(two.getSealedKey());
  }

  @Test
  void refusesWhatWasSealedForSomethingElseOrChanged(SplittableRandom random) {
    byte[] session = TestBytes.random(random, 32);
    GetJobKeyResponse sealed =
        SealedKey.seal(SECRET, session, "job_1", TestBytes.random(random, 32));
    assertRefused(new byte[] {1, 2, 4}, session, "job_1", sealed);
    assertRefused(SECRET, TestBytes.random(random, 32), "job_1", sealed);
    assertRefused(SECRET, session, "job_2", sealed);
    byte[] salt = flipped(sealed.getSalt(), random);
    assertRefused(
        SECRET, session, "job_1", sealed.toBuilder().setSalt(ByteString.copyFrom(salt)).build());
    byte[] key = flipped(sealed.getSealedKey(), random);
    assertRefused(
        SECRET,
        session,
        "job_1",
        sealed.toBuilder().setSealedKey(ByteString.copyFrom(key)).build());
    byte[] mac = flipped(sealed.getMac(), random);
    assertRefused(
        SECRET, session, "job_1", sealed.toBuilder().setMac(ByteString.copyFrom(mac)).build());
    assertRefused(SECRET, session, "job_1", GetJobKeyResponse.getDefaultInstance());
  }
}
