import { useRef, useState } from 'react';

/**
 * The text of a field whose value is made of it: it stands as it was typed, an empty line and "2." included, until the value becomes another
 * one from elsewhere.
 */
export function useTypedText(shown: string, onType: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(shown);
  const made = useRef(shown);
  const own = useRef(false);
  if (shown !== made.current) {
    made.current = shown;
    if (!own.current) setText(shown);
  }
  own.current = false;
  return [
    text,
    (typed) => {
      own.current = true;
      setText(typed);
      onType(typed);
    },
  ];
}
