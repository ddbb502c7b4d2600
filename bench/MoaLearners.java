// The job of bench/learners that runs inside MOA: prints one line of JSON.
//
//     java -cp moa.jar MoaLearners.java STREAM.csv COLUMN:VALUES,... SECONDS LEARNER...
//
// The stream lies in memory as MOA's instances, so its cost is not measured. Each record
// is predicted, then learnt, in one loop of this thread. A fresh learner goes through
// the stream twice at least and for SECONDS of CPU time, so that the machine has compiled
// what it runs; the pass with the least CPU time of this thread counts, and the first
// is told, too. Collecting garbage and compiling happen in other threads and are not counted.

import com.yahoo.labs.samoa.instances.Attribute;
import com.yahoo.labs.samoa.instances.DenseInstance;
import com.yahoo.labs.samoa.instances.Instance;
import com.yahoo.labs.samoa.instances.Instances;
import com.yahoo.labs.samoa.instances.InstancesHeader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import moa.classifiers.Classifier;
import moa.options.ClassOption;

public class MoaLearners {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    public static void main(String[] arguments) throws Exception {
        List<Instance> stream = read(Path.of(arguments[0]), nominal(arguments[1]));
        double seconds = Double.parseDouble(arguments[2]);
        String words = String.join(" ", List.of(arguments).subList(3, arguments.length));
        Pass first = pass(words, stream);
        Pass best = first;
        double spent = 0;
        while (spent < seconds) {
            Pass next = pass(words, stream);
            spent += next.cpu;
            best = next.cpu < best.cpu ? next : best;
        }
        System.out.printf(Locale.ROOT,
                "{\"records\": %d, \"accuracy\": %.4f, \"cpu_seconds\": %.6f, \"first_cpu_seconds\": %.6f, \"kib\": %d}%n",
                stream.size(), best.accuracy, best.cpu, first.cpu, best.heap >> 10);
    }

    record Pass(double accuracy, double cpu, long heap) {}

    static Pass pass(String words, List<Instance> stream) throws Exception {
        long before = heap();
        Classifier learner = (Classifier) ClassOption.cliStringToObject(words, Classifier.class, null);
        learner.prepareForUse();
        learner.setModelContext(new InstancesHeader(stream.get(0).dataset()));
        long cpu = THREADS.getCurrentThreadCpuTime();
        int right = 0;
        for (Instance instance : stream) {
            if (learner.correctlyClassifies(instance)) {
                right++;
            }
            learner.trainOnInstance(instance);
        }
        double cpuSeconds = (THREADS.getCurrentThreadCpuTime() - cpu) / 1e9;
        long heap = heap() - before;
        learner.trainingHasStarted(); // Keeps the model alive until its heap is measured.
        return new Pass(100.0 * right / stream.size(), cpuSeconds, heap);
    }

    /** Bytes of the heap that something holds. */
    static long heap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** Numbers of values by column, from "1:7,3:2" or "-". */
    static Map<Integer, Integer> nominal(String text) {
        Map<Integer, Integer> values = new HashMap<>();
        for (String pair : text.split(",")) {
            String[] parts = pair.split(":");
            if (parts.length == 2) {
                values.put(Integer.valueOf(parts[0]), Integer.valueOf(parts[1]));
            }
        }
        return values;
    }

    /** A file of numbers and codes with a line of names; the class is last. */
    static List<Instance> read(Path file, Map<Integer, Integer> nominal) throws Exception {
        List<String> lines = Files.readAllLines(file);
        String[] names = lines.get(0).split(",");
        List<double[]> rows = new ArrayList<>();
        int classes = 1;
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(",");
            double[] row = new double[cells.length];
            for (int column = 0; column < cells.length; column++) {
                row[column] = Double.parseDouble(cells[column]);
            }
            classes = Math.max(classes, (int) row[row.length - 1] + 1);
            rows.add(row);
        }
        nominal.put(names.length - 1, classes);
        List<Attribute> attributes = new ArrayList<>();
        for (int column = 0; column < names.length; column++) {
            Integer values = nominal.get(column);
            attributes.add(values == null ? new Attribute(names[column]) : new Attribute(names[column], codes(values)));
        }
        Instances table = new Instances(file.toString(), attributes, 0);
        table.setClassIndex(names.length - 1);
        InstancesHeader header = new InstancesHeader(table);
        List<Instance> stream = new ArrayList<>(rows.size());
        for (double[] row : rows) {
            Instance instance = new DenseInstance(1.0, row);
            instance.setDataset(header);
            stream.add(instance);
        }
        return stream;
    }

    static List<String> codes(int count) {
        List<String> codes = new ArrayList<>();
        for (int code = 0; code < count; code++) {
            codes.add(Integer.toString(code));
        }
        return codes;
    }
}
