"""``python -m fairopt`` is the command line."""

from fairopt.cli import main

if __name__ == "__main__":
    main()
