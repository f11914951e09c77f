// Sizes, counts and places as people read them: the same units as in the terminal.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function bytes(value: number): string {
  let unit = 0;
  let size = Math.abs(value);
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || size >= 100 ? 0 : 1;
  const text = size.toFixed(digits).replace(/\.0$/, "");
  return `${value < 0 ? "-" : ""}${text} ${UNITS[unit]}`;
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

export function seconds(value: number): string {
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  if (value < 120) return `${value.toFixed(value < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(value / 60);
  if (minutes < 120) return `${minutes} min ${Math.round(value % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function share(part: number, all: number): string {
  if (all <= 0) return "";
  const percent = (100 * part) / all;
  return percent > 0 && percent < 0.1 ? "under 0.1 %" : `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}

let directory = "";
export function setDirectory(path: string): void {
  directory = path.endsWith("/") ? path : `${path}/`;
}

// As seen from where the program was started; of an installed package, what follows its folder. Asked for at each box that
// is drawn, of few files.
const paths = new Map<string, string>();
export function path(file: string): string {
  let shown = paths.get(file);
  if (shown === undefined) paths.set(file, (shown = shownPath(file)));
  return shown;
}

function shownPath(file: string): string {
  if (directory.length > 1 && file.startsWith(directory)) return file.slice(directory.length);
  const packages = file.match(/\/(?:site|dist)-packages\/(.+)$/) ?? file.match(/\/lib\/python3[^/]*\/(.+)$/);
  if (packages?.[1]) return packages[1];
  const parts = file.split("/");
  return parts.length > 3 ? `…/${parts.slice(-2).join("/")}` : file;
}

export function place(file: string, line: number): string {
  if (!file) return "not known";
  return line > 0 ? `${path(file)}:${line}` : path(file);
}
