"""The feeder's firmware in Python: TWF/1 bytes on one side, the machine's narrow port on the other.

It takes the place of real firmware and can be replaced by it: nothing here is imported by the
mechanics, and the host sees its bytes only.
"""
