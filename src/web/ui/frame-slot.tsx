import { type ReactNode, useLayoutEffect, useState } from 'react'
import { createPortal } from 'react-dom'

/** The places of the frame that a screen fills on a phone, by their ids. */
export const FRAME_SLOTS = { header: 'report-header', views: 'report-views' } as const

/** Renders into a place of the frame: the header, or the thumb bar. */
export function FrameSlot({ slot, children }: { slot: keyof typeof FRAME_SLOTS; children: ReactNode }) {
  const [target, setTarget] = useState<HTMLElement | null>(null)
  useLayoutEffect(() => setTarget(document.getElementById(FRAME_SLOTS[slot])), [slot])
  return target && createPortal(children, target)
}
