import { type KeyboardEvent, useState } from 'react'

/** Notices from the keys pressed in a field whether Caps Lock is on; phones never say. */
export function useCapsLock() {
  const [isCapsLockOn, setIsCapsLockOn] = useState(false)
  const follow = (event: KeyboardEvent) => setIsCapsLockOn(event.getModifierState?.('CapsLock') ?? false)
  return {
    isCapsLockOn,
    capsLockHandlers: { onKeyDown: follow, onKeyUp: follow, onBlur: () => setIsCapsLockOn(false) },
  }
}
