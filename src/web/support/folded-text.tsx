import { useLayoutEffect, useRef, useState } from 'react'
import { textLinkClasses } from '#web/ui/text-link.ts'

interface FoldedTextProps {
  text: string
  /** Never folded. */
  isWhole: boolean
  isOpen: boolean
  onToggle: () => void
}

/** Text of anybody's, as it was written and never more than that; what is longer than six lines is folded. */
export function FoldedText({ text, isWhole, isOpen, onToggle }: FoldedTextProps) {
  const paragraph = useRef<HTMLParagraphElement>(null)
  const [isLong, setIsLong] = useState(false)
  useLayoutEffect(() => {
    const element = paragraph.current
    if (!element) return
    const measure = () => {
      if (!isOpen) setIsLong(element.scrollHeight > element.clientHeight + 1)
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [isOpen])
  return (
    <div className="space-y-1">
      <p
        ref={paragraph}
        dir="auto"
        className={`whitespace-pre-wrap text-sm leading-relaxed ${isOpen || isWhole ? '' : 'line-clamp-6'}`}
      >
        {text}
      </p>
      {!isWhole && (isLong || isOpen) && (
        <button
          type="button"
          onClick={onToggle}
          aria-expanded={isOpen}
          className={`text-sm ${textLinkClasses}`}
        >
          {isOpen ? 'Mostrar menos' : 'Mostrar tudo'}
        </button>
      )}
    </div>
  )
}
