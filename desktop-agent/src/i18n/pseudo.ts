const ACCENTED: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ó',
  u: 'ú',
  c: 'ç',
  n: 'ñ',
  A: 'Å',
  E: 'É',
  I: 'Î',
  O: 'Ö',
  U: 'Û',
};

/** A template as it might read in a language half as long again; what stays plain on a page is not from the catalogue. */
export function distort(template: string): string {
  const text = template.replace(/\{\w+\}|[aeioucnAEIOU]/g, (part) => ACCENTED[part] ?? part);
  const length = template.replace(/\{\w+\}/g, '').length;
  return `[${text}${'~'.repeat(Math.ceil(length * 0.4))}]`.replaceAll('~~~~~~~~', '~~~~~~~ ');
}
