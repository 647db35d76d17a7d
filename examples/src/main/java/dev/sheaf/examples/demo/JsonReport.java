package dev.sheaf.examples.demo;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The measurements for programs: an array of objects, one for each way of each experiment. */
final class JsonReport {

  private JsonReport() {}

  static String of(List<Measurement> measurements) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = new JsonFactory().createGenerator(text)) {
      out.useDefaultPrettyPrinter();
      out.writeStartArray();
      for (Measurement measurement : measurements) {
        write(measurement, out);
      }
      out.writeEndArray();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return text.append('\n').toString();
  }

  private static void write(Measurement measurement, JsonGenerator out) throws IOException {
    out.writeStartObject();
    out.writeStringField("experiment", measurement.experiment());
    out.writeStringField("way", measurement.way());
    out.writeNumberField("millis", measurement.millis());
    write("roundTrips", measurement.counts().roundTrips(), out);
    write("commands", measurement.counts().commands(), out);
    write("bytes", measurement.counts().bytes(), out);
    out.writeNumberField("factor", measurement.factor());
    out.writeEndObject();
  }

  private static void write(String name, @Nullable Long value, JsonGenerator out)
      throws IOException {
    if (value == null) {
      out.writeNullField(name);
    } else {
      out.writeNumberField(name, value);
    }
  }
}
