// Elements without a framework. Text is always text: nothing that came from a program is read as markup.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

export function h(name: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

export function add(parent: Element, children: Child[]): void {
  for (const child of children) {
    if (child) parent.append(child);
  }
}

export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  add(parent, children);
}

export function svg(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

export function width(element: HTMLElement, share: number): HTMLElement {
  element.style.width = `${Math.max(0, Math.min(100, 100 * share))}%`;
  return element;
}

export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// A canvas as sharp as the screen; the drawing is in CSS pixels.
export function context(canvas: HTMLCanvasElement, wide: number, high: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(wide * ratio);
  canvas.height = Math.round(high * ratio);
  canvas.style.height = `${high}px`;
  const drawing = canvas.getContext("2d");
  if (!drawing) throw new Error("this browser draws no canvas");
  drawing.setTransform(ratio, 0, 0, ratio, 0, 0);
  return drawing;
}
