"""The files of a run that finance opens, by the format that people ask for."""

CSV, PARQUET = "chargeback.csv", "chargeback.parquet"
FOCUS, FOCUS_CSV = "focus-1.2.parquet", "focus-1.2.csv"
JOURNAL, INVOICES, INVOICES_JSON = "journal.csv", "invoices.csv", "invoices.json"
HTML = "chargeback.html"

FORMATS = {
    "csv": CSV,
    "parquet": PARQUET,
    "focus": FOCUS,
    "focus-csv": FOCUS_CSV,
    "journal": JOURNAL,
    "invoices": INVOICES,
    "invoices-json": INVOICES_JSON,
    "html": HTML,
}
