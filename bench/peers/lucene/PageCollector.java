import java.util.Arrays;
import org.apache.lucene.search.CollectionTerminatedException;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.SimpleCollector;

/** A page in index order: what stands before it is counted, and what stands behind it is never looked at. */
final class PageCollector extends SimpleCollector {
  private final int[] documents;
  private int before;
  private int size = 0;

  PageCollector(int offset, int limit) {
    before = offset;
    documents = new int[limit];
  }

  boolean isFull() {
    return size == documents.length;
  }

  int[] documents() {
    return Arrays.copyOf(documents, size);
  }

  @Override
  public void collect(int document) {
    if (before > 0) {
      before -= 1;
      return;
    }
    documents[size] = document;
    size += 1;
    if (isFull()) throw new CollectionTerminatedException();
  }

  @Override
  public ScoreMode scoreMode() {
    return ScoreMode.COMPLETE_NO_SCORES;
  }
}
