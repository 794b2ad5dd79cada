# Sends one span, log record and metric with the OpenTelemetry SDK and exporters for Python; prints each exporter's own word as JSON.
# usage: send-otlp.py grpc|http HOST:PORT TOKEN CA_FILE
import json
import logging
import sys

from opentelemetry._logs import LogRecord
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

logging.disable(logging.CRITICAL)
way, target, token, ca_file = sys.argv[1:5]

if way == "grpc":
    from grpc import ssl_channel_credentials
    from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    with open(ca_file, "rb") as file:
        credentials = ssl_channel_credentials(file.read())

    def options(_signal):
        return {"endpoint": f"https://{target}", "credentials": credentials, "headers": (("authorization", f"Bearer {token}"),), "timeout": 5}
else:
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    def options(signal):
        return {
            "endpoint": f"https://{target}/v1/{signal}",
            "certificate_file": ca_file,
            "headers": {"authorization": f"Bearer {token}"},
            "compression": Compression.Gzip,
            "timeout": 5,
        }


resource = Resource.create({"service.name": "python-shop"})

spans = InMemorySpanExporter()
tracers = TracerProvider(resource=resource)
tracers.add_span_processor(SimpleSpanProcessor(spans))
with tracers.get_tracer("shop").start_as_current_span("GET /cart", attributes={"tries": 3, "sizes": [1, 2]}):
    pass

records = InMemoryLogRecordExporter()
loggers = LoggerProvider(resource=resource)
loggers.add_log_record_processor(SimpleLogRecordProcessor(records))
loggers.get_logger("shop").emit(LogRecord(body={"bought": ["tea"]}, severity_text="INFO", attributes={"cart": 7}))

reader = InMemoryMetricReader()
meters = MeterProvider(resource=resource, metric_readers=[reader])
meters.get_meter("shop").create_counter("carts").add(3, {"kind": "tea"})

words = {}
for signal, exporter, items in (
    ("traces", OTLPSpanExporter(**options("traces")), spans.get_finished_spans()),
    ("logs", OTLPLogExporter(**options("logs")), records.get_finished_logs()),
    ("metrics", OTLPMetricExporter(**options("metrics")), reader.get_metrics_data()),
):
    words[signal] = exporter.export(items).name
    exporter.shutdown()
print(json.dumps(words))
