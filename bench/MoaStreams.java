import com.yahoo.labs.samoa.instances.Instance;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import moa.options.ClassOption;
import moa.streams.InstanceStream;

/**
 * Prints for each stream of MOA given by its option string the SHA-256 of its first 1,000
 * records: the bits of each attribute and of the class as doubles, little endian.
 */
public class MoaStreams {
    public static void main(String[] streams) throws Exception {
        for (String options : streams) {
            System.out.println(digest(options) + "  " + options);
        }
    }

    static String digest(String options) throws Exception {
        Object made = ClassOption.cliStringToObject(options, InstanceStream.class, null);
        InstanceStream stream = (InstanceStream) made;
        ((moa.options.OptionHandler) made).prepareForUse();
        MessageDigest sum = MessageDigest.getInstance("SHA-256");
        for (int record = 0; record < 1000; record++) {
            Instance instance = stream.nextInstance().getData();
            ByteBuffer bytes = ByteBuffer.allocate(8 * instance.numAttributes());
            bytes.order(ByteOrder.LITTLE_ENDIAN);
            for (int at = 0; at < instance.numAttributes(); at++) {
                bytes.putDouble(instance.value(at));
            }
            sum.update(bytes.array());
        }
        StringBuilder text = new StringBuilder();
        for (byte b : sum.digest()) {
            text.append(String.format("%02x", b));
        }
        return text.toString();
    }
}
