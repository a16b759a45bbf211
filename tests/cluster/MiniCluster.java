import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * A real Hadoop on one machine: HDFS of three DataNodes and YARN of three NodeManagers, until
 * standard input ends. Its client configuration goes to the folder of the first argument; then
 * the file "ready" appears there.
 */
public final class MiniCluster {
    public static void main(String[] args) throws Exception {
        File conf = new File(args[0]);
        Configuration base = new YarnConfiguration();
        base.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, new File(conf, "dfs").getPath());
        base.setInt("yarn.nodemanager.resource.memory-mb", 2048);
        base.setInt("yarn.scheduler.minimum-allocation-mb", 128);
        base.setInt("mapreduce.map.memory.mb", 384);
        base.setInt("mapreduce.reduce.memory.mb", 384);
        base.setInt("yarn.app.mapreduce.am.resource.mb", 512);
        base.setInt("mapreduce.task.io.sort.mb", 32);
        base.set("mapreduce.map.java.opts", "-Xmx192m");
        base.set("mapreduce.reduce.java.opts", "-Xmx192m");
        // Guice makes classes in a way that Java 17 forbids unless told.
        base.set("yarn.app.mapreduce.am.command-opts", "-Xmx384m --add-opens=java.base/java.lang=ALL-UNNAMED");
        // Containers run beside each other on one machine, whose disk may be fuller than a cluster's.
        base.setBoolean("yarn.nodemanager.disk-health-checker.enable", false);
        base.setBoolean("yarn.nodemanager.vmem-check-enabled", false);
        base.setBoolean("yarn.nodemanager.pmem-check-enabled", false);
        MiniDFSCluster dfs = new MiniDFSCluster.Builder(base).numDataNodes(3).build();
        dfs.waitActive();
        Configuration yarnConf = new YarnConfiguration(dfs.getConfiguration(0));
        MiniMRYarnCluster yarn = new MiniMRYarnCluster("oddnode", 3);
        yarn.init(yarnConf);
        yarn.start();
        Configuration client = new Configuration(yarn.getConfig());
        client.set("mapreduce.framework.name", "yarn");
        client.set("yarn.application.classpath", System.getProperty("java.class.path").replace(':', ','));
        client.set("mapreduce.application.classpath", System.getProperty("java.class.path").replace(':', ','));
        // Each of these overrides the defaults of its own part.
        for (String name : new String[] {"core-site.xml", "hdfs-site.xml", "mapred-site.xml", "yarn-site.xml"}) {
            try (OutputStream out = new FileOutputStream(new File(conf, name))) {
                client.writeXml(out);
            }
        }
        new File(conf, "ready").createNewFile();
        while (System.in.read() >= 0) {
            // Whoever started this holds the other end.
        }
        yarn.stop();
        dfs.shutdown();
    }
}
