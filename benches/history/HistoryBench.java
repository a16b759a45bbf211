import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.Seekable;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser;
import org.apache.hadoop.tools.rumen.TraceBuilder;
import org.apache.hadoop.util.ToolRunner;

/**
 * Hadoop's own readers of job histories, warm and in one process: JobHistoryParser from memory, and Rumen's
 * TraceBuilder from a local file to its two files.
 *
 * <p>HistoryBench SECONDS FILE...: prints reader, file, bytes and MB/s of its best round.
 */
public final class HistoryBench {
  /** Bytes in memory as Hadoop's streams want them. */
  private static final class Bytes extends ByteArrayInputStream implements Seekable, PositionedReadable {
    Bytes(byte[] bytes) {
      super(bytes);
    }

    @Override
    public void seek(long at) {
      pos = (int) at;
    }

    @Override
    public long getPos() {
      return pos;
    }

    @Override
    public boolean seekToNewSource(long at) {
      return false;
    }

    @Override
    public int read(long at, byte[] to, int offset, int length) {
      int count = Math.min(length, this.count - (int) at);
      System.arraycopy(buf, (int) at, to, offset, count);
      return count;
    }

    @Override
    public void readFully(long at, byte[] to, int offset, int length) {
      read(at, to, offset, length);
    }

    @Override
    public void readFully(long at, byte[] to) {
      read(at, to, 0, to.length);
    }
  }

  private interface Reader {
    void read() throws Exception;
  }

  private static void measure(String reader, File file, long bytes, double seconds, Reader one) throws Exception {
    long begin = System.nanoTime();
    long best = Long.MAX_VALUE;
    for (int rounds = 0; rounds < 5 || System.nanoTime() - begin < seconds * 1e9; rounds++) {
      long started = System.nanoTime();
      one.read();
      best = Math.min(best, System.nanoTime() - started);
    }
    OUT.printf("%s\t%s\t%d\t%.1f%n", reader, file.getName(), bytes, bytes / 1e6 / (best / 1e9));
  }

  private static final PrintStream OUT = System.out;

  public static void main(String[] args) throws Exception {
    // Rumen tells what it does on standard output.
    System.setOut(System.err);
    double seconds = Double.parseDouble(args[0]);
    Path work = Files.createTempDirectory("history-bench");
    try {
      for (int i = 1; i < args.length; i++) {
        File file = new File(args[i]).getAbsoluteFile();
        byte[] bytes = Files.readAllBytes(file.toPath());
        measure("JobHistoryParser", file, bytes.length, seconds, () -> {
          JobHistoryParser parser = new JobHistoryParser(new FSDataInputStream(new Bytes(bytes)));
          JobHistoryParser.JobInfo info = parser.parse();
          if (parser.getParseException() != null || info.getAllTasks().isEmpty()) {
            throw new IllegalStateException("not parsed", parser.getParseException());
          }
        });
        File trace = work.resolve("trace.json").toFile();
        String topology = work.resolve("topology.json").toUri().toString();
        measure("TraceBuilder", file, bytes.length, seconds, () -> {
          String[] paths = {trace.toURI().toString(), topology, file.toURI().toString()};
          int code = ToolRunner.run(new Configuration(), new TraceBuilder(), paths);
          if (code != 0 || trace.length() < 1000) {
            throw new IllegalStateException("no trace: " + code + ", " + trace.length() + " bytes");
          }
        });
      }
    } finally {
      try (var all = Files.walk(work)) {
        all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
      }
    }
  }
}
