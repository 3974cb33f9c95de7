import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field.Store;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LogDocMergePolicy;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.store.MMapDirectory;

/**
 * One segment, sorted like the documents of the snapshot, so that Lucene's document numbers are those of the snapshot. Postings have
 * documents only. A column of numbers is stored twice, as doc values and as points, because Lucene passes over documents
 * that cannot be on the page where it has both.
 */
final class KeywordIndex {
  /** Runs of words, of which phrases are looked up as one token. No question has more words. */
  static final int MAX_RUN_WORDS = 3;
  /** A keyword's place by newest rank, then term: the last key of every order, made once instead of compared in every search. */
  static final String TIE = "tie";

  private static final String[] NUMBERS = {
    "word_count", "latest_period", "latest_rank", "best_rank", "worst_rank", "avg_rank", "total_periods",
    "click_concentration", "conversion_to_click"
  };
  private static final int TERM = 1;
  private static final int WORDS = 2;
  private static final int TOKENS = 3;
  private static final int FIRST_NUMBER = 4;
  private static final int LATEST_RANK = FIRST_NUMBER + 2;
  private static final String NULL = "\\N";
  private static final double BUFFER_MB = 512;

  private KeywordIndex() {}

  static void build(Path keywordFile, Path directory, int periodCount) throws IOException {
    int[] ties = orderTies(keywordFile);
    IndexWriterConfig config = new IndexWriterConfig(null);
    config.setRAMBufferSizeMB(BUFFER_MB);
    config.setUseCompoundFile(false);
    config.setMergePolicy(new LogDocMergePolicy());
    config.setIndexSort(
        new Sort(
            new SortField("latest_period", SortField.Type.INT, true),
            new SortField("latest_rank", SortField.Type.INT),
            new SortField(TIE, SortField.Type.INT)));
    try (MMapDirectory target = new MMapDirectory(directory);
        IndexWriter writer = new IndexWriter(target, config);
        BufferedReader lines = Files.newBufferedReader(keywordFile)) {
      int document = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        writer.addDocument(toDocument(line.split("\t", -1), ties[document], periodCount));
        document += 1;
      }
      writer.forceMerge(1);
      writer.commit();
    }
    checkNumbers(directory, ties);
  }

  private static int[] orderTies(Path keywordFile) throws IOException {
    List<byte[]> terms = new ArrayList<>();
    long[] keys = new long[1 << 16];
    try (BufferedReader lines = Files.newBufferedReader(keywordFile)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] fields = line.split("\t", LATEST_RANK + 2);
        int document = terms.size();
        if (document == keys.length) keys = Arrays.copyOf(keys, document * 2);
        keys[document] = Long.parseLong(fields[LATEST_RANK]) << 32 | document;
        terms.add(unescape(fields[TERM]).getBytes(StandardCharsets.UTF_8));
      }
    }
    int count = terms.size();
    Arrays.sort(keys, 0, count);
    Integer[] documents = new Integer[count];
    for (int i = 0; i < count; i += 1) documents[i] = (int) keys[i];
    for (int start = 0, end; start < count; start = end) {
      for (end = start + 1; end < count && keys[end] >> 32 == keys[start] >> 32; ) end += 1;
      Arrays.sort(documents, start, end, (a, b) -> Arrays.compareUnsigned(terms.get(a), terms.get(b)));
    }
    int[] ties = new int[count];
    for (int place = 0; place < count; place += 1) ties[documents[place]] = place;
    return ties;
  }

  private static Document toDocument(String[] fields, int tie, int periodCount) {
    Document document = new Document();
    document.add(new StringField("term", unescape(fields[TERM]), Store.NO));
    addWords(document, unescape(fields[WORDS]));
    for (String token : unescape(fields[TOKENS]).split(" ")) document.add(new StringField("token", token, Store.NO));
    for (int i = 0; i < NUMBERS.length; i += 1) addNumber(document, NUMBERS[i], fields[FIRST_NUMBER + i]);
    for (int i = 0; i < periodCount; i += 1) addNumber(document, "r" + i, fields[FIRST_NUMBER + NUMBERS.length + i]);
    document.add(new NumericDocValuesField(TIE, tie));
    return document;
  }

  /** What `best_match` tells apart: all words, those at the start of more, and those anywhere. */
  private static void addWords(Document document, String text) {
    document.add(new StringField("all", text, Store.NO));
    String[] words = text.split(" ");
    for (int start = 0; start < words.length; start += 1) {
      StringBuilder run = new StringBuilder();
      for (int end = start + 1; end <= Math.min(words.length, start + MAX_RUN_WORDS); end += 1) {
        if (end > start + 1) run.append(' ');
        run.append(words[end - 1]);
        document.add(new StringField("run", run.toString(), Store.NO));
        if (start == 0 && end < words.length) document.add(new StringField("start", run.toString(), Store.NO));
      }
    }
  }

  private static void addNumber(Document document, String name, String field) {
    if (field.equals(NULL)) return;
    int value = Integer.parseInt(field);
    document.add(new NumericDocValuesField(name, value));
    document.add(new IntPoint(name, value));
  }

  private static String unescape(String text) {
    return text.indexOf('\\') < 0 ? text : text.replace("\\\\", "\\");
  }

  /** Answers are compared by document number, so these must be the snapshot's. */
  private static void checkNumbers(Path directory, int[] ties) throws IOException {
    try (MMapDirectory source = new MMapDirectory(directory);
        DirectoryReader reader = DirectoryReader.open(source)) {
      if (reader.leaves().size() != 1) throw new IllegalStateException(reader.leaves().size() + " segments");
      NumericDocValues stored = reader.leaves().get(0).reader().getNumericDocValues(TIE);
      for (int document = 0; document < ties.length; document += 1) {
        if (stored.nextDoc() != document || stored.longValue() != ties[document]) {
          throw new IllegalStateException("document " + document + " has another place than in the snapshot");
        }
      }
    }
  }
}
